;;; eglot.el --- Drives Milepost from Emacs' eglot, for test_eglot.py  -*- lexical-binding: t -*-

;; Environment: MILEPOST_TEST_SERVER (the command as JSON), MILEPOST_TEST_FILE, MILEPOST_TEST_OUT.

(let ((default-directory "/usr/share/emacs/site-lisp/elpa-src"))
  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))
(require 'eglot)
(require 'imenu)
(require 'json)

(define-derived-mode milepost-log-mode text-mode "Log")
(add-to-list 'auto-mode-alist '("\\.log\\'" . milepost-log-mode))
(setq eglot-sync-connect 20 eglot-connect-timeout 30 make-backup-files nil create-lockfiles nil
      enable-local-variables nil vc-handled-backends nil)

(defvar milepost-found nil "What came back, as an alist.")
(defun milepost-found (name value) (push (cons name value) milepost-found))

(defun milepost-ask (method params)
  (jsonrpc-request (eglot-current-server) method params :timeout 20))
(defun milepost-place () (eglot--TextDocumentIdentifier))
(defun milepost-execute (name &rest arguments)
  "Run the server's command NAME on this buffer's file."
  (milepost-ask :workspace/executeCommand
                (list :command name :arguments (vector (append (milepost-place) arguments)))))

(defun milepost-marks (tree)
  "Every (TITLE . POSITION) of an imenu TREE at any depth."
  (let (marks)
    (dolist (item tree (nreverse marks))
      (cond ((not (consp item)))
            ((listp (cdr item)) (setq marks (append (reverse (milepost-marks (cdr item))) marks)))
            (t (push item marks))))))

(defun milepost-edit (round)
  "One edit of Emacs' own near the start of the buffer."
  (let ((bits ["x" "é" "🌍" "𐐀" "é" "\f" "\u0085" "\u2028" "\t" "\n" "long "]))
    (goto-char (point-min))
    (forward-line (random 30))
    (forward-char (random (1+ (- (line-end-position) (point)))))
    (when (zerop (% round 3)) (delete-region (point) (min (point-max) (+ (point) 1 (random 80)))))
    (dotimes (_ (random 5)) (insert (aref bits (random (length bits)))))))

(defun milepost-run (file command)
  (find-file file)
  (setq-local project-find-functions (list (lambda (folder) (cons 'transient folder))))
  (eglot--connect '(milepost-log-mode) (cons 'transient default-directory) 'eglot-lsp-server command "log")
  (eglot--managed-mode 1)
  (let ((document (list :textDocument (milepost-place))))
    (milepost-found 'name (plist-get (eglot--server-info (eglot-current-server)) :name))
    (milepost-found 'symbols (milepost-ask :textDocument/documentSymbol document))
    (milepost-found 'lenses
                    (vconcat (mapcar (lambda (lens) (milepost-ask :codeLens/resolve lens))
                                     (milepost-ask :textDocument/codeLens document))))
    ;; What an Emacs user does: the sections in imenu, and a jump to one of them.
    (let ((marks (milepost-marks (eglot-imenu))))
      (milepost-found 'marks (vconcat (mapcar (lambda (mark) (line-number-at-pos (cdr mark))) marks)))
      (goto-char (cdr (seq-find (lambda (mark) (string-match-p "ERROR\\|failed" (car mark))) marks)))
      (milepost-found 'line (line-number-at-pos)))
    (milepost-found 'outline (milepost-execute "milepost.outline"))
    (milepost-found 'hit (milepost-execute "milepost.find" :pattern "Caused by"))
    (random "seven")
    (let (texts)
      (dotimes (round 60)
        (milepost-edit round)
        (when (= (% round 10) 9)
          ;; What eglot would send when Emacs is idle.
          (eglot--signal-textDocument/didChange)
          (let ((server (plist-get (milepost-execute "milepost.read" :offset 1 :limit 40) :content)))
            (push (list :server server
                        :buffer (buffer-substring-no-properties
                                 (point-min) (save-excursion (goto-char (point-min)) (forward-line 40) (point))))
                  texts))))
      (milepost-found 'texts (vconcat texts)))
    (milepost-found 'symbols_after (milepost-ask :textDocument/documentSymbol document))
    (milepost-found 'lines_after (count-lines (point-min) (point-max)))
    (set-buffer-modified-p nil)
    (eglot-shutdown (eglot-current-server) nil 10)
    (milepost-found 'stopped t)))

(condition-case problem
    (milepost-run (getenv "MILEPOST_TEST_FILE")
                  (append (json-parse-string (getenv "MILEPOST_TEST_SERVER")) nil))
  (error (milepost-found 'problem (format "%S" problem))))
(with-temp-file (getenv "MILEPOST_TEST_OUT")
  (set-buffer-file-coding-system 'utf-8-unix)
  (insert (json-serialize (nreverse milepost-found) :null-object nil :false-object :json-false)))

;;; eglot.el ends here
