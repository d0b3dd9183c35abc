"""What the server answers, one module a feature; `milepost.lsp.app` registers them."""
