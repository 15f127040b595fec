const MAX_NAME = 51

/** The name that a download has (spec administration 6.1): when it was made, and what it is of. */
export function archiveName(fullPath: string, now: string): string {
  const moment = now.replace('T', '_').replaceAll(':', '-').replace('.', '-').replace('Z', '')
  const path = fullPath.replaceAll('/', '_').replaceAll(/[^\w.-]/g, '_')
  return `${`${moment}_${path}`.slice(0, MAX_NAME)}_export.tar.gz`
}
