/** True for a loopback address, also in the IPv6 form of an IPv4 address. */
export function isLoopback(address: string | undefined): boolean {
  const plain = (address ?? '').replace(/^::ffff:/i, '')
  return plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain)
}
