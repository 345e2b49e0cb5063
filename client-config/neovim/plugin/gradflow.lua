-- Commands for the GradFlow language server, its hints and lenses switched on, and its lenses kept up to date.
-- Loaded by itself from the 'runtimepath'. Starting the server is `vim.lsp.enable("gradflow")`, in your init.lua.
if vim.g.loaded_gradflow or vim.fn.has("nvim-0.11") == 0 then
  return
end
vim.g.loaded_gradflow = true

local NAME = "gradflow"

--- The server's client for a buffer, the current one by default.
local function client_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr or 0, name = NAME })[1]
end

local function command(name, desc, does)
  vim.api.nvim_create_user_command(name, function()
    local client = client_of()
    if client then
      does(client)
    else
      vim.notify("GradFlow: its server is not attached to this buffer, see :checkhealth vim.lsp", vim.log.levels.ERROR)
    end
  end, { desc = desc })
end

--- Take the code action of this kind, wherever in the file it is offered; asks which one where there are several.
local function take_action(kind)
  vim.lsp.buf.code_action({
    context = { only = { kind }, diagnostics = {} },
    range = { start = { 1, 0 }, ["end"] = { vim.api.nvim_buf_line_count(0), 0 } },
    apply = true,
  })
end

command("GradflowRun", "Run a probe of this file", function()
  take_action("source.runProbe")
end)
command("GradflowInsertProbe", "Write a probe for a model class of this file", function()
  take_action("refactor.insertProbe")
end)

--- Commands of the server, each with the one object it takes.
local on_server = {
  GradflowRunAll = { "gradflow.runAll", "Run every probe of the workspace", vim.empty_dict },
  GradflowCancel = { "gradflow.cancel", "End the runs that are under way", vim.empty_dict },
  GradflowClear = { "gradflow.clear", "Remove all findings", vim.empty_dict },
  GradflowRestartWorker = { "gradflow.restartWorker", "Start a new Python process for the next run", vim.empty_dict },
  GradflowReport = { "gradflow.showReport", "Show the report of this file's last run", function()
    return { uri = vim.uri_from_bufnr(0) }
  end },
}
for name, row in pairs(on_server) do
  local id, desc, argument = unpack(row)
  command(name, desc, function(client)
    client:exec_cmd({ title = desc, command = id, arguments = { argument() } })
  end)
end

local group = vim.api.nvim_create_augroup("gradflow", {})

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    if client_of(event.buf) then
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
      if vim.lsp.codelens.enable then
        vim.lsp.codelens.enable(true, { bufnr = event.buf })
      end
    end
  end,
})

if vim.lsp.codelens.enable then
  return -- Neovim 0.12 keeps lenses up to date by itself.
end

vim.api.nvim_create_autocmd({ "LspAttach", "InsertLeave", "TextChanged", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if client_of(event.buf) then
      vim.lsp.codelens.refresh({ bufnr = event.buf })
    end
  end,
})

-- A run begins or ends: the lens over its probe says so.
vim.api.nvim_create_autocmd("LspProgress", {
  group = group,
  pattern = { "begin", "end" },
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == NAME then
      for bufnr in pairs(client.attached_buffers) do
        vim.lsp.codelens.refresh({ bufnr = bufnr })
      end
    end
  end,
})
