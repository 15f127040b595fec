import { createHmac } from 'node:crypto'

/** A server that gets pictures of other hosts, so that these do not learn who reads. */
export interface AssetProxy {
  readonly url: string
  readonly secret: string
  /** Hosts whose pictures are got directly; `*.` stands for any part in front. */
  readonly allowed: readonly string[]
  /** The instance itself. */
  readonly own: string
}

/** Where the proxy has a picture: its address, signed, as the proxy checks it. The same address for what needs no proxy. */
export function proxied(address: string, { url, secret, allowed, own }: AssetProxy): string {
  // What is relative to a page stays with its page.
  if (!/^(?:https?:)?\/\//i.test(address)) return address
  const whole = address.startsWith('//') ? `https:${address}` : address
  if (!URL.canParse(whole)) return ''
  const { hostname } = new URL(whole)
  const isFree = [new URL(own).hostname, new URL(url).hostname, ...allowed].some((one) =>
    covers(one, hostname),
  )
  if (isFree) return address
  const digest = createHmac('sha1', secret).update(whole).digest('hex')
  return `${url.replace(/\/+$/, '')}/${digest}/${Buffer.from(whole).toString('hex')}`
}

function covers(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}
