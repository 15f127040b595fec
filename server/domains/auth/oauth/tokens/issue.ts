import type { Ctx } from '../../../../ctx.ts'
import { isOAuthCode, missing, oauthError, refusal } from '../refusals.ts'
import { ACCESS_SECONDS, NO_CLIENT, tokenModel, type Issued } from './model.ts'

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'password', 'client_credentials']

/** What the library leaves to the client's own proof: `tokenModel` asks confidential clients for their secret. */
const OPTIONS = {
  accessTokenLifetime: ACCESS_SECONDS,
  enablePlainPKCE: true,
  requireClientAuthentication: {
    authorization_code: false,
    refresh_token: false,
    password: false,
    client_credentials: true,
  },
}

/**
 * Answers a token request with a new pair. Throws 400 or 401 in the shape of OAuth. `body` are the parameters of the
 * request, whatever content type they came in: the library reads forms only, so it is told that this was one.
 */
export async function issueToken(
  ctx: Ctx,
  body: Readonly<Record<string, string | undefined>>,
  { authorization, ip }: { authorization: string; ip: string },
): Promise<Issued> {
  const given = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== ''),
  ) as Record<string, string>
  if (!given['grant_type']) throw refusal(missing('grant_type'))
  if (!GRANT_TYPES.includes(given['grant_type'])) throw refusal(oauthError('unsupported_grant_type'))
  const isLoose = given['grant_type'] === 'password' || given['grant_type'] === 'refresh_token'
  const withoutClient = isLoose && !given['client_id'] && !/^basic /i.test(authorization)
  // The library insists on a name.
  if (withoutClient) given['client_id'] = NO_CLIENT
  const model = tokenModel(ctx, { redirectUri: given['redirect_uri'], withoutClient, ip })
  // Loaded when the first token is asked for: most instances never are.
  const { default: OAuth2Server } = await import('@node-oauth/oauth2-server')
  const server = new OAuth2Server({ model })
  const request = new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(authorization ? { authorization } : {}),
    },
    body: given,
  })
  try {
    return (await server.token(request, new OAuth2Server.Response(), OPTIONS)) as Issued
  } catch (error) {
    throw translated(error)
  }
}

/** The library's error in the contract's words; what broke inside the model is thrown as it was. */
function translated(error: unknown): unknown {
  const { name, inner } = error as Error & { inner?: unknown }
  if (name === 'server_error') return inner ?? error
  return isOAuthCode(name) ? refusal(oauthError(name)) : error
}
