/** An uploaded file in the temporary folder of the instance. It is removed when the request ends. */
export interface UploadedFile {
  readonly filename: string
  readonly type: string
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly sha256: string
}
