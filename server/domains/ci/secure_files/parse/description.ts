/** What a file says of itself; `expires_at` as ISO 8601, null where it does not end. */
export interface Description {
  readonly expires_at: string | null
  readonly [name: string]: unknown
}
