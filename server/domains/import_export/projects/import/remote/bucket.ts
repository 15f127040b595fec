import type { Ctx } from '../../../../../ctx.ts'
import { fail } from '../../../../../lib/fail.ts'
import type { ArchiveRequest } from './archive.ts'

/** An object in S3-compatible storage, and who may read it. */
export interface BucketObject {
  readonly region: string
  readonly bucket: string
  readonly key: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/i

/** Throws 400 for what cannot be the name of a region or bucket, which would lead elsewhere. */
export function checkNames({ region, bucket, key }: Pick<BucketObject, 'region' | 'bucket' | 'key'>): void {
  if (!REGION.test(region)) throw fail('parameter', 'region is invalid')
  if (!BUCKET.test(bucket)) throw fail('parameter', 'bucket_name is invalid')
  // In an address such parts lead out of the bucket.
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw fail('parameter', 'file_key is invalid')
}

/** Address of an object. Another place can be led to by `vendorHosts`, as with the hosts of integrations. */
function addressOf(ctx: Pick<Ctx, 'config'>, { region, bucket, key }: BucketObject): string {
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  const { vendorHosts } = ctx.config
  const base = Object.hasOwn(vendorHosts, host) ? vendorHosts[host]!.replace(/\/+$/, '') : `https://${host}`
  const path = key.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')
  return `${base}/${bucket}/${path}`
}

/** A signed request for (a part of) an object. `now`: ISO 8601, the time of the signature. */
export async function bucketRequest(
  ctx: Pick<Ctx, 'config'>,
  object: BucketObject,
  { method, now, headers = {} }: { method: 'HEAD' | 'GET'; now: string; headers?: Record<string, string> },
): Promise<ArchiveRequest> {
  // Loaded when first needed: most instances never sign anything.
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
