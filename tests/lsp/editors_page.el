;;; editors_page.el --- Uses the commands of docs/editors.md, for test_editors_page.py  -*- lexical-binding: t -*-

;; Environment: MILEPOST_TEST_PLUGIN (the page's elisp as a file), MILEPOST_TEST_FILE, MILEPOST_TEST_OUT.

(let ((default-directory "/usr/share/emacs/site-lisp/elpa-src"))
  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))
(require 'json)
(setq eglot-sync-connect 20 eglot-connect-timeout 30 make-backup-files nil create-lockfiles nil
      enable-local-variables nil vc-handled-backends nil)

(defvar found nil "What was shown, as an alist.")
(defun found (name value) (push (cons name value) found))

(defun shown (title)
  (with-current-buffer (format "*Milepost: %s*" title) (buffer-string)))

(defun run (file)
  (load (getenv "MILEPOST_TEST_PLUGIN") nil t t)
  (find-file file)
  (found 'mode (symbol-name major-mode))
  ;; `eglot-ensure' waits for the next command, of which a batch has none.
  (run-hooks 'post-command-hook)
  (unless (eglot-current-server) (error "No server"))
  (milepost-outline file)
  (found 'outline (shown "outline"))
  (with-current-buffer "*Milepost: outline*"
    (goto-char (point-min))
    (search-forward "request failed")
    (compile-goto-error))
  (found 'jumped (buffer-name (window-buffer)))
  (found 'line (with-current-buffer (get-file-buffer file) (line-number-at-pos)))
  (with-current-buffer (get-file-buffer file)
    (milepost-read 41 42 file)
    (found 'lines (shown "lines"))
    (milepost-find "Caused\\s+by")
    (found 'hits (shown "find"))
    (milepost-summarize)
    (found 'summary (shown "summary"))
    (milepost-ask "Why did the request fail?")
    (found 'answer (shown "answer"))
    (found 'refusal (condition-case problem (progn (milepost-outline "no-such-file.log") "")
                      (error (error-message-string problem))))
    (eglot-shutdown (eglot-current-server) nil 10)))

(condition-case problem
    (run (getenv "MILEPOST_TEST_FILE"))
  (error (found 'problem (format "%S" problem))))
(with-temp-file (getenv "MILEPOST_TEST_OUT")
  (set-buffer-file-coding-system 'utf-8-unix)
  (insert (json-serialize (nreverse found) :null-object nil :false-object :json-false)))

;;; editors_page.el ends here
