import type { Ctx } from '../../../../../ctx.ts'
import { fail } from '../../../../../lib/fail.ts'
import { isForbidden } from '../../../imports/reasons.ts'
import { settingsOf } from '../../../../settings/index.ts'
import type { ArchiveRequest, RemoteArchive } from './archive.ts'
import { bucketRequest, checkNames, type BucketObject } from './bucket.ts'

const MB = 1024 * 1024
/** The contract's bound, whatever the settings say. */
const MOST_BYTES = 10 * 1024 * MB
const TYPES = ['application/gzip', 'application/x-tar', 'application/x-gzip']
const LOCAL = 'Requests to the local network are not allowed'
const PATIENCE_MS = 5000

/** Looks at an archive at an address. Throws 400 with the contract's sentences for what cannot be one (spec administration 6.6). */
export async function lookAtUrl(ctx: Ctx, address: string): Promise<RemoteArchive> {
  const url = parsed(ctx, address)
  const headers = await headersAt(ctx, { url: url.href, headers: {}, redirect: 'follow' })
  if (isBucket(headers)) throw fail('bad_request', 'To import from AWS S3 use `projects/remote-import-s3`')
  const said = checked(ctx, headers)
  const isSecret = url.search !== '' || url.username !== '' || url.password !== ''
  const shown = `${url.host}${url.pathname}`.slice(0, 255)
  const source = { kind: 'url', ...said, url: isSecret ? null : url.href, retriable: !isSecret } as const
  return { import_source: shown, source, ...(isSecret ? { credentials: { url: url.href } } : {}) }
}

/** The same of an object in a bucket. */
export async function lookAtBucket(ctx: Ctx, object: BucketObject): Promise<RemoteArchive> {
  checkNames(object)
  const said = checked(
    ctx,
    await headersAt(ctx, await bucketRequest(ctx, object, { method: 'HEAD', now: ctx.now })),
  )
  const { region, bucket, key, access_key_id, secret_access_key } = object
  return {
    import_source: `${bucket}/${key}`.slice(0, 255),
    source: { kind: 's3', ...said, region, bucket, key, retriable: false },
    credentials: { access_key_id, secret_access_key },
  }
}

function parsed(ctx: Ctx, address: string): URL {
  const blocked = (why: string) => fail('bad_request', `File url is blocked: ${why}`)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.hostname === '') throw blocked('URI is invalid')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp(ctx)))
    throw blocked('Only allowed schemes are https')
  return url
}

/** In the clear only where the local network may be reached. */
export function allowsHttp(ctx: Ctx): boolean {
  return settingsOf(ctx).allow_local_requests_from_web_hooks_and_services
}

async function headersAt(ctx: Ctx, request: ArchiveRequest): Promise<Headers> {
  const { url, redirect } = request
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const timeoutMs = Math.min(PATIENCE_MS, ctx.config.hookTimeoutMs)
  try {
    const response = await ctx.outbound.fetch(url, { method: 'HEAD', headers, redirect, timeoutMs })
    await response.body?.cancel().catch(() => undefined)
    if (!response.ok) throw unread(`the server answered ${response.status}`)
    if (new URL(response.url || url).protocol === 'http:' && !allowsHttp(ctx))
      throw fail('bad_request', 'File url is blocked: Only allowed schemes are https')
    return response.headers as unknown as Headers
  } catch (error) {
    if (isForbidden(error)) throw fail('bad_request', `File url is blocked: ${LOCAL}`)
    if (!(error instanceof Error) || error.name === 'Failure') throw error
    throw unread(isLate(error) ? 'the server did not answer in time' : 'the server could not be reached')
  }
}

/** The contract spells it so. */
function unread(why: string) {
  return fail('bad_request', `Failed to retrive headers: ${why}`)
}

function isLate(error: Error): boolean {
  return error.name === 'TimeoutError' || error.name === 'AbortError'
}

function isBucket(headers: Headers): boolean {
  return headers.get('server') === 'AmazonS3' && headers.has('x-amz-request-id')
}

function checked(ctx: Ctx, headers: Headers): { length: number; etag: string | null } {
  const length = Number(headers.get('content-length') ?? 0)
  const most = mostBytes(ctx)
  if (!Number.isSafeInteger(length) || length < 1)
    throw fail('bad_request', 'Content length is too small (should be at least 1 Byte)')
  if (length > most)
    throw fail('bad_request', `Content length is too big (should be at most ${inWords(most)})`)
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!TYPES.includes(type))
    throw fail('bad_request', `Content type '${type}' not allowed. (Allowed: ${TYPES.join(', ')})`)
  return { length, etag: headers.get('etag') }
}

function mostBytes(ctx: Ctx): number {
  const { max_import_remote_file_size: setting } = settingsOf(ctx)
  return setting === 0 ? MOST_BYTES : Math.min(setting * MB, MOST_BYTES)
}

function inWords(bytes: number): string {
  const [size, unit] = bytes >= 1024 * MB ? [bytes / (1024 * MB), 'GB'] : [bytes / MB, 'MB']
  return `${Math.round(size * 100) / 100} ${unit}`
}
