import { session } from 'electron'

import { isOwnCertificate } from './origin.ts'

/** A session cookie of the instance's owner. */
export interface OwnerSession {
  readonly name: string
  readonly cookie: string
}

/**
 * Signs the window in. A user who can start the application can read its data anyway, so a password would protect
 * nothing. False before the first run, when there is no owner.
 */
export async function signIn(origin: string, owner: OwnerSession | undefined): Promise<boolean> {
  if (!owner) return false
  const cookie = {
    url: origin,
    name: owner.name,
    value: owner.cookie,
    httpOnly: true,
    secure: origin.startsWith('https:'),
    sameSite: 'lax' as const,
    path: '/',
  }
  await session.defaultSession.cookies.set(cookie)
  return true
}

/** Makes the window accept the certificate of its own instance; Chromium checks all others. */
export function trustInstance(origin: string, certificate: () => string | undefined): void {
  session.defaultSession.setCertificateVerifyProc(({ hostname, certificate: { data: pem } }, answer) => {
    // 0: accepted; -3: Chromium's own decision.
    answer(isOwnCertificate({ hostname, pem }, origin, certificate()) ? 0 : -3)
  })
}
