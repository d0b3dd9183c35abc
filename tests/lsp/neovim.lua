-- Drives Milepost from Neovim's own LSP client and writes what came back to a file, for test_neovim.py.
-- Environment: MILEPOST_TEST_SERVER (the command as JSON), MILEPOST_TEST_FILE, MILEPOST_TEST_OUT.

local command = vim.json.decode(os.getenv('MILEPOST_TEST_SERVER'))
local file = os.getenv('MILEPOST_TEST_FILE')
local found = {}

local function finish(problem)
  found.problem = problem
  local out = io.open(os.getenv('MILEPOST_TEST_OUT'), 'w')
  out:write(vim.json.encode(found))
  out:close()
  vim.cmd('qa!')
end

local function run()
  local id = vim.lsp.start_client({ name = 'milepost', cmd = command, root_dir = vim.fn.fnamemodify(file, ':h') })
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  if not vim.wait(20000, function() return client.initialized end, 20) then error('not initialized') end
  found.name = client.name
  found.encoding = client.offset_encoding

  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  local function ask(method, params)
    local replies, problem = vim.lsp.buf_request_sync(0, method, params, 20000)
    if replies == nil then error(method .. ': ' .. tostring(problem)) end
    local reply = replies[id]
    local refused = reply.err or reply.error
    if refused then error(method .. ': ' .. vim.inspect(refused)) end
    return reply.result
  end
  local function execute(name, argument)
    return ask('workspace/executeCommand', { command = name, arguments = { argument } })
  end
  local function place() return { uri = document.textDocument.uri } end

  -- What an editor shows: symbols as Neovim lists them, lenses with their texts.
  found.symbols = ask('textDocument/documentSymbol', document)
  found.items = vim.lsp.util.symbols_to_items(found.symbols, 0)
  found.lenses = {}
  for _, lens in ipairs(ask('textDocument/codeLens', document)) do
    table.insert(found.lenses, ask('codeLens/resolve', lens))
  end
  found.folds = ask('textDocument/foldingRange', document)
  found.outline = execute('milepost.outline', place())
  found.hit = execute('milepost.find', vim.tbl_extend('error', place(), { pattern = 'Caused by' }))

  -- Jump to the first section that Neovim lists as an incident.
  for _, item in ipairs(found.items) do
    if item.text:find('Event') then
      vim.api.nvim_win_set_cursor(0, { item.lnum, item.col - 1 })
      break
    end
  end
  found.cursor = vim.api.nvim_win_get_cursor(0)

  -- Random edits of Neovim's own: the server's text must stay Neovim's buffer.
  math.randomseed(7)
  local bits = { 'x', 'é', '🌍', '𐐀', 'e\204\129', '\12', '\194\133', '\226\128\168', '\t', 'long ' }
  found.texts = {}
  for round = 1, 60 do
    local last = vim.api.nvim_buf_line_count(0)
    local row = math.random(0, math.min(last - 1, 30))
    local line = vim.api.nvim_buf_get_lines(0, row, row + 1, true)[1]
    local column = vim.str_byteindex(line, math.random(0, vim.str_utfindex(line)))
    local text = {}
    for part = 1, math.random(1, 3) do
      local words = {}
      for _ = 1, math.random(0, 3) do table.insert(words, bits[math.random(#bits)]) end
      text[part] = table.concat(words)
    end
    if round % 3 == 0 and row + 1 < last then
      vim.api.nvim_buf_set_text(0, row, column, row + 1, 0, text)
    else
      vim.api.nvim_buf_set_text(0, row, column, row, column, text)
    end
    if round % 10 == 0 then
      local read = execute('milepost.read', vim.tbl_extend('error', place(), { offset = 1, limit = 40 }))
      table.insert(found.texts, {
        server = read.content,
        buffer = table.concat(vim.api.nvim_buf_get_lines(0, 0, 40, true), '\n') .. '\n',
      })
    end
  end
  found.symbols_after = ask('textDocument/documentSymbol', document)
  found.lines_after = vim.api.nvim_buf_line_count(0)
  vim.lsp.stop_client(id)
  found.stopped = vim.wait(10000, function() return client.is_stopped() end, 20)
end

local fine, problem = pcall(run)
if fine then finish() else finish(tostring(problem)) end
