;;; Strings, hash tables, closures and sorting in Scheme; as many rounds as the argument says.
(define seed 1)
(define sum 0)

(define (word i)
  (set! seed (modulo (+ (* seed 1103515) 12345) 2147483648))
  (string-append (number->string seed 16) "." (number->string (modulo i 97))))

(define (grow depth)
  (cons (modulo seed 100)
        (if (zero? depth) '() (map (lambda (_) (grow (- depth 1))) '(1 2 3)))))

(define (walk node visit)
  (visit (car node))
  (for-each (lambda (child) (walk child visit)) (cdr node)))

(define (round-of-work)
  (let ((count (make-hash-table)))
    (do ((i 0 (+ i 1))) ((= i 2000))
      (let* ((text (word i)) (key (substring text 0 (min 3 (string-length text)))))
        (hash-set! count key (+ 1 (hash-ref count key 0)))))
    (set! sum (+ sum (length (sort (hash-map->list cons count)
                                   (lambda (a b) (string<? (car a) (car b)))))))
    (walk (grow 6) (lambda (weight) (set! sum (+ sum weight))))))

(do ((rounds (string->number (cadr (command-line))) (- rounds 1))) ((zero? rounds))
  (round-of-work))
(display sum)
(newline)
