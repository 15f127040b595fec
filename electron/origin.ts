/** Whether an address belongs to the instance that this window shows. Anything unreadable does not. */
export function isOwn(url: string | undefined, origin: string): boolean {
  if (!url || !URL.canParse(url)) return false
  return new URL(url).origin === new URL(origin).origin
}

/** Whether an address may be handed to the system's browser: nothing but the web. */
export function isWeb(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  return ['http:', 'https:'].includes(new URL(url).protocol)
}

/** Whether a value is a path of the instance, and not the start of another address (`//host`). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !/[\0-\x1f\\]/.test(value)
}
