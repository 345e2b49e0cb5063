-- A user's init.lua, as client-config/neovim/README.md shows it.
vim.opt.runtimepath:prepend(vim.env.GRADFLOW_NEOVIM_CONFIG)
vim.lsp.enable("gradflow")
