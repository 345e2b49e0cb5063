;;; gradflow.el --- Gradient checks from the GradFlow language server  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; Tells eglot and lsp-mode, whichever you use, how to start the server, and adds commands to run probes.
;;
;; eglot has one server a buffer, so with it GradFlow takes the place of another Python server.
;; lsp-mode runs GradFlow beside the others.

;;; Code:

(defgroup gradflow nil
  "Gradient checks from the GradFlow language server."
  :group 'tools)

(defcustom gradflow-server-command '("gradflow-lsp" "server" "--stdio")
  "The program that is the language server, and its arguments."
  :type '(repeat string))

;;; How to start the server

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(python-mode python-ts-mode) (lambda (&rest _) gradflow-server-command))))

(declare-function lsp-activate-on "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () gradflow-server-command))
                    :activation-fn (lsp-activate-on "python")
                    :server-id 'gradflow
                    :add-on? t)))

;;; Asking the server

(declare-function eglot--path-to-uri "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp--buffer-uri "lsp-mode")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(defvar lsp--cur-workspace)

(defun gradflow--uri ()
  "The URI of this buffer's file, spelled as the language client spells it."
  (cond ((bound-and-true-p lsp-mode) (lsp--buffer-uri))
        ((fboundp 'eglot-path-to-uri) (eglot-path-to-uri (file-truename buffer-file-name)))
        (t (eglot--path-to-uri (file-truename buffer-file-name)))))

(defun gradflow--ask (command &optional argument)
  "Ask the server to do COMMAND with ARGUMENT, a property list.
The outcome of a run arrives as diagnostics."
  (let ((request `(:command ,command :arguments ,(vector (or argument (make-hash-table)))))
        (on-error (lambda (reply) (message "GradFlow: %S" reply))))
    (cond ((bound-and-true-p lsp-mode)
           (let ((lsp--cur-workspace (or (lsp-find-workspace 'gradflow)
                                         (user-error "GradFlow's server does not run: M-x lsp starts it"))))
             (lsp-request-async "workspace/executeCommand" request #'ignore
                                :mode 'detached :error-handler on-error)))
          ((and (fboundp 'eglot-current-server) (eglot-current-server))
           (jsonrpc-async-request (eglot-current-server) :workspace/executeCommand request
                                  :success-fn #'ignore :error-fn on-error))
          (t (user-error "GradFlow's server does not run: M-x eglot starts it")))))

(defun gradflow--probe ()
  "The argument that names a probe of this file: the only one, or one that is asked for."
  (let (names)
    (save-excursion
      (goto-char (point-max))
      ;; The server judges which functions are probes; this only offers names.
      (while (re-search-backward "^def[ \t]+\\(gradflow_probe\\(?:_[A-Za-z0-9_]+\\)?\\)[ \t]*(" nil t)
        (push (match-string-no-properties 1) names)))
    (unless names
      (user-error "This file has no probe: M-x gradflow-insert-probe writes one"))
    (list :uri (gradflow--uri)
          :function (if (cdr names) (completing-read "Probe: " names nil t) (car names)))))

;;; Commands

(defun gradflow-run ()
  "Run a probe of this file."
  (interactive)
  (gradflow--ask "gradflow.run" (gradflow--probe)))

(defun gradflow-run-all ()
  "Run every probe of the workspace."
  (interactive)
  (gradflow--ask "gradflow.runAll"))

(defun gradflow-cancel ()
  "End the runs that are under way."
  (interactive)
  (gradflow--ask "gradflow.cancel"))

(defun gradflow-insert-probe ()
  "Write a probe for the model class at point, or for the only one of this file."
  (interactive)
  (let ((class (save-excursion
                 (end-of-line)
                 (and (re-search-backward "^class[ \t]+\\([A-Za-z0-9_]+\\)" nil t) (match-string-no-properties 1)))))
    (gradflow--ask "gradflow.insertProbe"
                   (append (list :uri (gradflow--uri)) (and class (list :class class))))))

(defun gradflow-report ()
  "Show the report of a probe's last run."
  (interactive)
  (gradflow--ask "gradflow.showReport" (gradflow--probe)))

(defun gradflow-clear ()
  "Remove all findings."
  (interactive)
  (gradflow--ask "gradflow.clear"))

(defun gradflow-restart-worker ()
  "Start a new Python process for the next run."
  (interactive)
  (gradflow--ask "gradflow.restartWorker"))

(provide 'gradflow)
;;; gradflow.el ends here
