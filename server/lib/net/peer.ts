import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** The known data about the client of a request. */
export interface Peer {
  readonly ip: string
  /** True if the client's connection to the instance or to a trusted proxy is encrypted. */
  readonly secure: boolean
  /** The host that the client requested, with its port. */
  readonly host: string
}

/** `192.0.2.7` or `10.0.0.0/8`; undefined for anything else. */
export function addressRange(
  text: string,
): { address: string; family: 'ipv4' | 'ipv6'; bits: number } | undefined {
  const [address = '', length, ...rest] = text.trim().split('/')
  const version = isIP(address)
  const limit = version === 4 ? 32 : 128
  const bits = length === undefined ? limit : Number(length)
  const isValid = version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length ?? '0') && bits <= limit
  return isValid ? { address, family: version === 4 ? 'ipv4' : 'ipv6', bits } : undefined
}

/**
 * Determines the client of a request. `X-Forwarded-For`, `-Proto` and `-Host` count only from trusted proxies, because
 * every client can send them. The list is read from its end to the first address that is not a trusted proxy.
 */
export function peerReader(trusted: readonly string[]): (req: IncomingMessage) => Peer {
  const list = new BlockList()
  for (const { address, family, bits } of trusted.flatMap((entry) => addressRange(entry) ?? []))
    list.addSubnet(address, bits, family)
  const isTrusted = (ip: string): boolean => isIP(ip) > 0 && list.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6')
  return (req) => {
    const remote = plainAddress(req.socket.remoteAddress ?? '')
    const direct = {
      ip: req.socket.remoteAddress ?? '',
      secure: (req.socket as Partial<TLSSocket>).encrypted === true,
      host: req.headers.host ?? '',
    }
    if (trusted.length === 0 || !isTrusted(remote)) return direct
    const partsOf = (name: string): string[] =>
      String(req.headers[name] ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    const forwarded = partsOf('x-forwarded-for').map(plainAddress)
    // A trusted proxy writes valid addresses only, so entries before an invalid one cannot be trusted.
    const last = forwarded.findLastIndex((address) => !isTrusted(address))
    const address = last < 0 ? forwarded[0] : forwarded[last]
    return {
      ip: address !== undefined && isIP(address) > 0 ? address : direct.ip,
      secure: direct.secure || partsOf('x-forwarded-proto').at(-1)?.toLowerCase() === 'https',
      host: partsOf('x-forwarded-host').at(-1) ?? direct.host,
    }
  }
}

/** The address in IPv4 form if it is the IPv6 form of an IPv4 address. */
function plainAddress(text: string): string {
  return text.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** True for a loopback address, also in the IPv6 form of an IPv4 address. */
export function isLoopback(address: string | undefined): boolean {
  const plain = (address ?? '').replace(/^::ffff:/i, '')
  return plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain)
}
