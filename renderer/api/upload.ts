import { ApiError, buildRequest, sessionHeaders, type Endpoint, type Params, type Result } from './client.ts'
import { refusalOf } from './errors.ts'
import { t } from '../locales/t.ts'

export type UploadOptions = {
  signal: AbortSignal
  /** Called with the share that has been sent, 0 to 1. */
  onProgress: (share: number) => void
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Files go as they are, everything else as JSON. */
const encoded = (body: unknown): string | FormData => {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>)
  if (!entries.some(([, value]) => value instanceof Blob)) return JSON.stringify(body)
  const form = new FormData()
  for (const [key, value] of entries) form.append(key, value instanceof Blob ? value : String(value ?? ''))
  return form
}

/** An upload with progress, which `fetch` does not report. */
export const apiUpload = <E extends Endpoint>(
  endpoint: E,
  params: Params<E>,
  { signal, onProgress }: UploadOptions,
): Promise<Result<E>> =>
  new Promise((resolve, reject) => {
    const { method, url, body } = buildRequest(endpoint, params as Record<string, unknown>)
    const request = new XMLHttpRequest()
    request.open(method, url)
    sessionHeaders().forEach((value, name) => request.setRequestHeader(name, value))
    const content = encoded(body)
    if (typeof content === 'string') request.setRequestHeader('Content-Type', 'application/json')
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    })
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(parsed(request.responseText) as Result<E>)
      else void refusalOf(request.status, parsed(request.responseText)).then(reject)
    })
    request.addEventListener('error', () =>
      reject(new ApiError(0, t('common.the_instance_does_not_respond_it_may'))),
    )
    request.addEventListener('abort', () => reject(new ApiError(0, t('common.upload_canceled'))))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(content)
  })
