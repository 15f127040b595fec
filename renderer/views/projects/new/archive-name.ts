const EXPORTED = /^\d{4}-\d\d-\d\d_\d\d-\d\d-\d+_|(_export)?\.(tar\.gz|tgz|gz)$/g

/**
 * The name that a project had, out of the name of its archive: `2026-01-02_03-04-005_root_tern_export.tar.gz` is `tern`. The
 * namespace is left out where it is the same; of another one nothing can be known, as its parts are joined by the same sign.
 */
export const nameOfArchive = (fileName: string, namespacePath: string): string => {
  const rest = fileName.replaceAll(EXPORTED, '')
  const before = `${namespacePath.replaceAll('/', '_')}_`
  return rest.startsWith(before) ? rest.slice(before.length) : rest
}
