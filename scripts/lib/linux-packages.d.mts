interface Parts {
  /** The folder that electron-builder leaves. */
  unpacked: string
  /** Where the package goes. */
  folder: string
  arch: 'x64' | 'arm64'
  version: string
}

/** Each returns the path of the package. */
export function packDeb(parts: Parts): string
export function packRpm(parts: Parts): string
