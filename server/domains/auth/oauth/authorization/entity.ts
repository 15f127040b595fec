import { z } from 'zod'

import { entity, row } from '../../../../http/entity.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { OAuthError } from '../refusals.ts'
import { SCOPES } from '../scopes.ts'

/** Data of the consent page. */
export interface AuthorizationView {
  readonly application: ApplicationRow | undefined
  readonly scopes: readonly string[]
  readonly redirect_uri: string | null
  readonly consent_needed: boolean
  readonly redirect_to: string | null
  readonly error: OAuthError | null
}

const oauthError = z.strictObject({ error: z.string(), error_description: z.string() })

/**
 * An authorization request for the consent page, or its error. With `redirect_to` the window redirects at once;
 * without `consent_needed` it approves without asking the user.
 */
export const OAuthAuthorization = entity(
  'OAuthAuthorization',
  {
    application: z
      .strictObject({ name: z.string(), trusted: z.boolean(), confidential: z.boolean() })
      .nullable(),
    scopes: z.array(z.strictObject({ name: z.string(), description: z.string() })),
    redirect_host: z.string().nullable(),
    redirect_uri: z.string().nullable(),
    consent_needed: z.boolean(),
    redirect_to: z.string().nullable(),
    error: oauthError.nullable(),
  },
  row<AuthorizationView>(),
  (view) => ({
    application: view.application
      ? {
          name: view.application.name,
          trusted: view.application.trusted,
          confidential: view.application.confidential,
        }
      : null,
    scopes: view.scopes.map((name) => ({ name, description: SCOPES[name as keyof typeof SCOPES] ?? name })),
    redirect_host: view.redirect_uri === null ? null : hostOf(view.redirect_uri),
  }),
)

/** Returns the host of a URL, or its scheme if it has no host (`com.example.app:`). */
function hostOf(uri: string): string {
  const url = URL.parse(uri)
  return url ? url.host || url.protocol : uri
}

/** The URL to which the window redirects after the decision. */
export const OAuthDecision = entity(
  'OAuthDecision',
  { redirect_to: z.string() },
  (decision: { redirect_to: string }) => decision,
)
