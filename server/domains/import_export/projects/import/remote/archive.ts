import type { ImportCredentials } from '../../../runs/credentials.ts'

/** An archive that lies elsewhere, as its import keeps it. */
export interface RemoteArchive {
  /** Where it comes from as people read it. */
  readonly import_source: string
  readonly source: RemoteSource
  /** Kept sealed, and dropped at the end: addresses may be signed. */
  readonly credentials?: ImportCredentials
}

/** What is kept of it in clear; `retriable` says that nothing else is needed to fetch it again. */
export type RemoteSource = UrlSource | BucketSource

interface Length {
  /** Bytes, as the source said before. */
  readonly length: number
  /** Its version, as the source says. */
  readonly etag: string | null
}

/** At an address; the address itself is a credential where it has more than a path. */
export interface UrlSource extends Length {
  readonly kind: 'url'
  readonly url: string | null
  readonly retriable: boolean
}

/** In a bucket. */
export interface BucketSource extends Length {
  readonly kind: 's3'
  readonly region: string
  readonly bucket: string
  readonly key: string
  readonly retriable: false
}

/** A request for an archive, with what proves that it may be read. */
export interface ArchiveRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What is redirected is followed only where no credentials go along. */
  readonly redirect: 'follow' | 'manual'
}
