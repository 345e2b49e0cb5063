;;; session.el --- One sitting of a user in Emacs with eglot, in steps  -*- lexical-binding: t; -*-

;; What the editor shows after each step goes into a JSON file, which test_emacs.py reads.
;; Environment: SAW (that file), CUT_WIRE and NO_PROBE (two Python files), GRADFLOW_EMACS_CONFIG (client-config/emacs).

(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa") ; where Debian puts packages; -Q hides it
(package-initialize)
(add-to-list 'load-path (getenv "GRADFLOW_EMACS_CONFIG"))
(require 'gradflow)
(require 'eglot)
(require 'flymake)
(require 'json)
(require 'python)

(setq make-backup-files nil
      create-lockfiles nil
      eglot-sync-connect 30
      eglot-confirm-server-initiated-edits nil)

(defvar session-saw nil "What the editor showed, newest first.")

(defun session-note (name value)
  (push (cons name value) session-saw))

(defun session-wait-for (what ready)
  "Wait until READY returns something, and return that."
  (let ((end (+ (float-time) 30)) value)
    (while (and (not (setq value (funcall ready))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (or value (error "Waited in vain for %s" what))))

(defun session-open (file)
  (find-file file)
  (python-mode)
  (apply #'eglot (eglot--guess-contact))
  (session-wait-for "the server" #'eglot-managed-p)
  (flymake-mode 1))

(defun session-diagnostics ()
  (vconcat (mapcar (lambda (d)
                     `((line . ,(line-number-at-pos (flymake-diagnostic-beg d)))
                       (message . ,(substring-no-properties (flymake-diagnostic-text d)))))
                   (flymake-diagnostics))))

(defun session-hover ()
  (let (text)
    (eglot-hover-eldoc-function (lambda (shown &rest _) (setq text shown)))
    (substring-no-properties (session-wait-for "the hover" (lambda () text)))))

(defun session-choose-action (wanted)
  "Choose the code action whose title matches WANTED, and return all titles that were offered."
  (let* (titles
         (last-nonmenu-event ?a) ; as after a key press; else a menu of a window system would open
         (completing-read-function
          (lambda (_prompt offered &rest _)
            (setq titles (all-completions "" offered))
            (seq-find (lambda (title) (string-match-p wanted title)) titles))))
    (eglot-code-actions (line-beginning-position) (line-end-position) nil t)
    (vconcat (mapcar #'substring-no-properties titles))))

(defun session-inserted-probe ()
  "Wait until a probe is in the buffer, and return all text."
  (session-wait-for "the probe" (lambda ()
                                  (save-excursion
                                    (goto-char (point-min))
                                    (search-forward "def gradflow_probe" nil t))))
  (buffer-substring-no-properties (point-min) (point-max)))

(defun session-sitting ()
  (session-open (getenv "CUT_WIRE"))
  (gradflow-run)
  (session-wait-for "diagnostics" #'flymake-diagnostics)
  (session-note 'diagnostics (session-diagnostics))
  (goto-char (point-min))
  (search-forward "self.last")
  (backward-char 2)
  (session-note 'hover (session-hover))

  (session-open (getenv "NO_PROBE"))
  (goto-char (point-min))
  (re-search-forward "^class ")
  (session-note 'actions (session-choose-action "^Insert .*probe"))
  (session-note 'inserted_by_action (session-inserted-probe))
  (revert-buffer t t)
  (goto-char (point-min))
  (gradflow-insert-probe)
  (session-note 'inserted_by_command (session-inserted-probe))
  (eglot-shutdown (eglot-current-server) nil 10))

(condition-case problem
    (session-sitting)
  (error (session-note 'problem (format "%S" problem))))
(with-temp-file (getenv "SAW")
  (insert (json-encode session-saw)))
(kill-emacs 0)
;;; session.el ends here
