/** Where to go after signing in: only ever a path of this window. */
export const safeRedirect = (value: unknown): string => {
  if (typeof value !== 'string' || !/^\/(?![/\\])/.test(value)) return '/'
  return value.startsWith('/users/sign_') ? '/' : value
}
