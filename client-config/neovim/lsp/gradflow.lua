-- How Neovim (0.11 or newer) starts the GradFlow language server.
-- Found on the 'runtimepath' by `vim.lsp.enable("gradflow")`; `vim.lsp.config("gradflow", { ... })` changes any part.
return {
  cmd = { "gradflow-lsp", "server", "--stdio" },
  filetypes = { "python" },
  root_markers = { "pyproject.toml", "setup.py", ".git" },
  -- The settings of the server, such as `gradflow = { inlayHints = "norm" }`. Empty: what pyproject.toml says.
  settings = { gradflow = vim.empty_dict() },
}
