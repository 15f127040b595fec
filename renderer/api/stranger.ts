import { ApiError, buildRequest, type Endpoint, type Params, type Result } from './client.ts'
import { refusalOf } from './errors.ts'
import { t } from '../locales/t.ts'

/** Sends requests with another token than that of the session, and without cookies. */
export const apiWith = async <E extends Endpoint>(
  token: string,
  endpoint: E,
  params: Params<E>,
): Promise<Result<E>> => {
  const built = buildRequest(endpoint, params)
  const headers = new Headers({ 'PRIVATE-TOKEN': token, Accept: 'application/json' })
  if (built.body !== undefined) headers.set('Content-Type', 'application/json')
  const body = built.body === undefined ? undefined : JSON.stringify(built.body)
  const response = await sendOpenly(built.url, { method: built.method, headers, body })
  const answer = (await response.json().catch(() => null)) as unknown
  if (!response.ok) throw await refusalOf(response.status, answer)
  return answer as Result<E>
}

/** A request with its own credentials, as other programs send it. */
export const sendOpenly = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, { ...init, credentials: 'omit' })
  } catch {
    throw new ApiError(0, t('common.the_instance_does_not_respond_it_may'))
  }
}
