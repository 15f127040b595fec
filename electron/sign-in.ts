import { session } from 'electron'

import { isOwnCertificate } from './origin.ts'

/** A session cookie for this machine's owner, as the instance hands it out. */
export interface OwnerSession {
  readonly name: string
  readonly cookie: string
}

/**
 * Signs the window in: who can start the application on this machine can read its data anyway, so asking
 * for a password would protect nothing. False before the first run, when nobody is there to be signed in.
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

/** Lets the window accept the certificate of its own instance; all others are judged as everywhere. */
export function trustInstance(origin: string, certificate: () => string | undefined): void {
  session.defaultSession.setCertificateVerifyProc(({ hostname, certificate: { data: pem } }, answer) => {
    // 0: accepted; -3: as Chromium judges it.
    answer(isOwnCertificate({ hostname, pem }, origin, certificate()) ? 0 : -3)
  })
}
