import { session } from 'electron'

import { isOwnCertificate } from './origin.ts'

/** The session cookie of the first administrator. */
export interface OwnerSession {
  readonly name: string
  readonly cookie: string
}

/**
 * Signs the window in as the first administrator. No password is required, because a user who can start the
 * application can also read its data. Returns false before the first run, when there is no administrator with a
 * password.
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

/** Makes the window accept the certificate of the instance. Chromium verifies all other certificates. */
export function trustInstance(origin: string, certificate: () => string | undefined): void {
  session.defaultSession.setCertificateVerifyProc(({ hostname, certificate: { data: pem } }, answer) => {
    // 0 accepts the certificate, -3 leaves the decision to Chromium.
    answer(isOwnCertificate({ hostname, pem }, origin, certificate()) ? 0 : -3)
  })
}
