/**
 * True if an environment scope covers an environment. `*` matches any characters, so `review/*` covers all reviews. Without
 * an environment, only the scope `*` matches. The number of steps is at most the product of both lengths.
 */
export function covers(scope: string, environment: string | undefined): boolean {
  if (environment === undefined) return scope === '*'
  let at = 0
  let char = 0
  let star = -1
  let from = 0
  while (char < environment.length) {
    if (scope[at] === '*') {
      star = at++
      from = char
    } else if (at < scope.length && scope[at] === environment[char]) {
      at++
      char++
    } else if (star >= 0) {
      at = star + 1
      char = ++from
    } else return false
  }
  while (scope[at] === '*') at++
  return at === scope.length
}

/**
 * How specific a scope is: 0 for `*`, infinite for an exact name, otherwise the number of characters other than `*`
 * (spec ci 2.14).
 */
export function specificity(scope: string): number {
  return scope.includes('*') ? scope.replaceAll('*', '').length : Infinity
}
