-- Makes given edits in Neovim, whose LSP client tells them to the server, for test_neovim_edits.py.
-- Environment: MILEPOST_TEST_SERVER (the command as JSON), MILEPOST_TEST_EDITS (a JSON file), MILEPOST_TEST_OUT.

local task = vim.json.decode(table.concat(vim.fn.readfile(os.getenv('MILEPOST_TEST_EDITS')), '\n'))
local command = vim.json.decode(os.getenv('MILEPOST_TEST_SERVER'))
local found = { texts = {} }
local ends = { unix = '\n', dos = '\r\n', mac = '\r' }

local function run()
  vim.o.hidden = true
  vim.o.fixendofline = false
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.general = { positionEncodings = { task.encoding } }
  local id = vim.lsp.start_client({
    name = 'milepost', cmd = command, root_dir = vim.fn.getcwd(),
    capabilities = capabilities, offset_encoding = task.encoding,
  })
  vim.cmd(('edit ++enc=utf-8 ++ff=%s %s'):format(task.format, vim.fn.fnameescape(task.file)))
  local client = vim.lsp.get_client_by_id(id)
  if not vim.wait(20000, function() return client.initialized end, 5) then error('not initialized') end
  vim.lsp.buf_attach_client(0, id)
  local uri = vim.uri_from_bufnr(0)

  local function compare()
    local reply = client.request_sync('test/text', { uri = uri }, 20000, vim.api.nvim_get_current_buf())
    if reply == nil or reply.err then error('no text: ' .. vim.inspect(reply)) end
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), ends[task.format])
    table.insert(found.texts, { server = reply.result, buffer = text .. ends[task.format] })
  end

  found.format = vim.bo.fileformat
  compare()
  for _, edit in ipairs(task.edits) do
    if edit.command then
      vim.cmd('silent! ' .. edit.command)
    else
      vim.api.nvim_buf_set_lines(0, edit.row, edit.end_row, true, edit.lines)
    end
    if edit.compare then compare() end
  end
  vim.lsp.stop_client(id, true)
end

local fine, problem = pcall(run)
if not fine then found.problem = tostring(problem) end
local out = io.open(os.getenv('MILEPOST_TEST_OUT'), 'w')
out:write(vim.json.encode(found))
out:close()
vim.cmd('qa!')
