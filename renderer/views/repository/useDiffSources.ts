import { api } from '../../api/client.ts'
import type { DiffEntry, DiffFile } from '../../components/diff/diff-model.ts'
import { useProject } from '../../composables/useProject.ts'
import { rawUrl } from './refs.ts'

/** The files behind a diff, as they were and as they became: pictures, and the lines around the changes. */
export const useDiffSources = (refs: () => { before: string | null; after: string } | null) => {
  const project = useProject()
  const raw = (ref: string, path: string) => rawUrl(project.value.path_with_namespace, ref, path)
  const pictureOf = (file: DiffFile) => {
    const { before = null, after = null } = refs() ?? {}
    return {
      before: before === null || file.change === 'added' ? null : raw(before, file.oldPath),
      after: after === null || file.change === 'deleted' ? null : raw(after, file.path),
    }
  }
  const readText = async (file: DiffFile): Promise<string> =>
    (await api('GET /projects/:id/repository/files/:file_path/raw', {
      id: project.value.id,
      file_path: file.path,
      ref: refs()?.after ?? 'HEAD',
    })) as unknown as string
  const readLines = (file: DiffFile): Promise<DiffEntry> => {
    const { before = null, after = 'HEAD' } = refs() ?? {}
    return api('GET /-/projects/:id/repository/file_diff', {
      id: project.value.id,
      ...(before === null ? {} : { from: before }),
      to: after,
      path: file.path,
      old_path: file.oldPath,
    })
  }
  return { pictureOf, readText, readLines }
}
