import type { Ctx } from '../../../../../ctx.ts'
import { fail } from '../../../../../lib/fail.ts'
import { isForbidden } from '../../../imports/status.ts'
import { settingsOf } from '../../../../settings/index.ts'
import type { ImportCredentials } from '../../../imports/runs.ts'

/** An object in S3-compatible storage, with credentials. */
export interface BucketObject {
  readonly region: string
  readonly bucket: string
  readonly key: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/i

/** Throws 400 for invalid names of regions and buckets, which could change the host of the URL. */
export function checkObjectName({
  region,
  bucket,
  key,
}: Pick<BucketObject, 'region' | 'bucket' | 'key'>): void {
  if (!REGION.test(region)) throw fail('parameter', 'region is invalid')
  if (!BUCKET.test(bucket)) throw fail('parameter', 'bucket_name is invalid')
  // These path segments would lead out of the bucket.
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw fail('parameter', 'file_key is invalid')
}

/** The URL of an object. The configuration `vendorHosts` may replace the host, as it does for integrations. */
function addressOf(ctx: Pick<Ctx, 'config'>, { region, bucket, key }: BucketObject): string {
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  const { vendorHosts } = ctx.config
  const base = Object.hasOwn(vendorHosts, host) ? vendorHosts[host]!.replace(/\/+$/, '') : `https://${host}`
  const path = key.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')
  return `${base}/${bucket}/${path}`
}

/** Creates a signed request for an object. `now` is the time of the signature, ISO 8601. */
export async function bucketRequest(
  ctx: Pick<Ctx, 'config'>,
  object: BucketObject,
  { method, now, headers = {} }: { method: 'HEAD' | 'GET'; now: string; headers?: Record<string, string> },
): Promise<ArchiveRequest> {
  // Loaded on first use, because most instances never sign a request.
  const { AwsV4Signer } = await import('aws4fetch')
  const signer = new AwsV4Signer({
    method,
    url: addressOf(ctx, object),
    headers,
    accessKeyId: object.access_key_id,
    secretAccessKey: object.secret_access_key,
    service: 's3',
    region: object.region,
    datetime: now.replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, ''),
  })
  const signed = await signer.sign()
  return { url: signed.url.toString(), headers: Object.fromEntries(signed.headers), redirect: 'manual' }
}

const MB = 1024 * 1024
/** The maximum size in the contract. Settings cannot exceed it. */
const MAX_BYTES = 10 * 1024 * MB
const TYPES = ['application/gzip', 'application/x-tar', 'application/x-gzip']
const LOCAL_NETWORK = 'Requests to the local network are not allowed'
const TIMEOUT_MS = 5000

type AnswerHeaders = Awaited<ReturnType<Ctx['outbound']['fetch']>>['headers']

/** Checks an archive at a URL. Throws 400 with the messages of the contract (spec administration 6.6). */
export async function inspectUrl(ctx: Ctx, address: string): Promise<RemoteArchive> {
  const url = parseArchiveUrl(ctx, address)
  const headers = await headersAt(ctx, { url: url.href, headers: {}, redirect: 'follow' })
  if (isBucket(headers)) throw fail('bad_request', 'To import from AWS S3 use `projects/remote-import-s3`')
  const info = checkArchive(ctx, headers)
  const isSecret = url.search !== '' || url.username !== '' || url.password !== ''
  const displayed = `${url.host}${url.pathname}`.slice(0, 255)
  const source = { kind: 'url', ...info, url: isSecret ? null : url.href, retriable: !isSecret } as const
  return { import_source: displayed, source, ...(isSecret ? { credentials: { url: url.href } } : {}) }
}

/** Checks an archive in a bucket. */
export async function inspectBucket(ctx: Ctx, object: BucketObject): Promise<RemoteArchive> {
  checkObjectName(object)
  const info = checkArchive(
    ctx,
    await headersAt(ctx, await bucketRequest(ctx, object, { method: 'HEAD', now: ctx.now })),
  )
  const { region, bucket, key, access_key_id, secret_access_key } = object
  return {
    import_source: `${bucket}/${key}`.slice(0, 255),
    source: { kind: 's3', ...info, region, bucket, key, retriable: false },
    credentials: { access_key_id, secret_access_key },
  }
}

function parseArchiveUrl(ctx: Ctx, address: string): URL {
  const urlBlocked = (reason: string) => fail('bad_request', `File url is blocked: ${reason}`)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.hostname === '') throw urlBlocked('URI is invalid')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp(ctx)))
    throw urlBlocked('Only allowed schemes are https')
  return url
}

/** Whether URLs without TLS are allowed, which is the case if the settings allow the local network. */
export function allowsHttp(ctx: Ctx): boolean {
  return settingsOf(ctx).allow_local_requests_from_web_hooks_and_services
}

async function headersAt(ctx: Ctx, request: ArchiveRequest): Promise<AnswerHeaders> {
  const { url, redirect } = request
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const timeoutMs = Math.min(TIMEOUT_MS, ctx.config.hookTimeoutMs)
  try {
    const response = await ctx.outbound.fetch(url, { method: 'HEAD', headers, redirect, timeoutMs })
    await response.body?.cancel().catch(() => undefined)
    if (!response.ok) throw headersUnavailable(`the server answered ${response.status}`)
    if (new URL(response.url || url).protocol === 'http:' && !allowsHttp(ctx))
      throw fail('bad_request', 'File url is blocked: Only allowed schemes are https')
    return response.headers
  } catch (error) {
    if (isForbidden(error)) throw fail('bad_request', `File url is blocked: ${LOCAL_NETWORK}`)
    if (!(error instanceof Error) || error.name === 'Failure') throw error
    throw headersUnavailable(
      isTimeout(error) ? 'the server did not answer in time' : 'the server could not be reached',
    )
  }
}

/** The error for headers that cannot be read. "Retrive" is the spelling of the contract. */
function headersUnavailable(reason: string) {
  return fail('bad_request', `Failed to retrive headers: ${reason}`)
}

function isTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' || error.name === 'AbortError'
}

function isBucket(headers: AnswerHeaders): boolean {
  return headers.get('server') === 'AmazonS3' && headers.has('x-amz-request-id')
}

function checkArchive(ctx: Ctx, headers: AnswerHeaders): { length: number; etag: string | null } {
  const length = Number(headers.get('content-length') ?? 0)
  const limit = maxBytes(ctx)
  if (!Number.isSafeInteger(length) || length < 1)
    throw fail('bad_request', 'Content length is too small (should be at least 1 Byte)')
  if (length > limit)
    throw fail('bad_request', `Content length is too big (should be at most ${sizeText(limit)})`)
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!TYPES.includes(type))
    throw fail('bad_request', `Content type '${type}' not allowed. (Allowed: ${TYPES.join(', ')})`)
  return { length, etag: headers.get('etag') }
}

function maxBytes(ctx: Ctx): number {
  const { max_import_remote_file_size: setting } = settingsOf(ctx)
  return setting === 0 ? MAX_BYTES : Math.min(setting * MB, MAX_BYTES)
}

function sizeText(bytes: number): string {
  const [size, unit] = bytes >= 1024 * MB ? [bytes / (1024 * MB), 'GB'] : [bytes / MB, 'MB']
  return `${Math.round(size * 100) / 100} ${unit}`
}

/** A remote archive, as its import stores it. */
export interface RemoteArchive {
  /** The name of the source, for users. */
  readonly import_source: string
  readonly source: RemoteSource
  /** Stored encrypted and deleted when the import ends. A presigned URL is a credential, too. */
  readonly credentials?: ImportCredentials
}

/** The source without secrets. `retriable` is true if the download needs no secret. */
export type RemoteSource = UrlSource | BucketSource

interface ArchiveInfo {
  /** Size in bytes that the source reported at the check. */
  readonly length: number
  /** The ETag of the archive at the check. */
  readonly etag: string | null
}

/** An archive at a URL. A URL with a query or a user name is a credential, and `url` is null then. */
export interface UrlSource extends ArchiveInfo {
  readonly kind: 'url'
  readonly url: string | null
  readonly retriable: boolean
}

/** An archive in a bucket. */
export interface BucketSource extends ArchiveInfo {
  readonly kind: 's3'
  readonly region: string
  readonly bucket: string
  readonly key: string
  readonly retriable: false
}

/** A request for an archive, with its credentials. */
export interface ArchiveRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Redirects are followed only without credentials. */
  readonly redirect: 'follow' | 'manual'
}
