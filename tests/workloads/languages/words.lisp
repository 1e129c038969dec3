;;; Strings, hash tables, closures and sorting in Lisp; *rounds* is set on the command line.
(defvar *rounds*)
(defvar *seed* 1)
(defvar *sum* 0)

(defun next-word (i)
  (setf *seed* (mod (+ (* *seed* 1103515) 12345) 2147483648))
  (format nil "~x.~d" *seed* (mod i 97)))

(defun grow (depth)
  (cons (mod *seed* 100)
        (unless (zerop depth) (loop repeat 3 collect (grow (1- depth))))))

(defun walk (node visit)
  (funcall visit (car node))
  (dolist (child (cdr node)) (walk child visit)))

(defun one-round ()
  (let ((count (make-hash-table :test #'equal)) (words '()))
    (dotimes (i 2000)
      (let ((text (next-word i))) (incf (gethash (subseq text 0 (min 3 (length text))) count 0))))
    (maphash (lambda (key n) (declare (ignore n)) (push key words)) count)
    (incf *sum* (length (sort words #'string<)))
    (walk (grow 6) (lambda (weight) (incf *sum* weight)))))

(dotimes (i *rounds*) (one-round))
(format t "~d~%" *sum*)
