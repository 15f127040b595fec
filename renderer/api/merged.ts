type KeyOfAny<U> = U extends unknown ? keyof U : never
type Optional<U, K extends PropertyKey> = U extends { [P in K]?: infer V } ? V : never

type Both<U> = { [K in keyof U]: U[K] } & { [K in Exclude<KeyOfAny<U>, keyof U>]?: Optional<U, K> }

/**
 * One answer in several views (what a visitor sees, what a member sees) as one type: what all views have is there, the
 * rest may be. Lists are merged item by item; what is not an object stays as it is.
 */
export type Merged<R> = [R] extends [readonly (infer T)[]] ? Merged<T>[] : [R] extends [object] ? Both<R> : R
