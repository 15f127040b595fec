import { apiUpload, type UploadOptions } from '../../../api/upload.ts'
import type { Folder } from './entries.ts'
import { tarOf } from './tar.ts'

/** The target of the project created from a folder. */
export type FolderTarget = { name: string; path: string; namespace?: string }

/** Sends a folder, which becomes a project. */
export const sendFolder = (folder: Folder, { name, path, namespace }: FolderTarget, options: UploadOptions) =>
  apiUpload(
    'POST /-/imports/folder',
    {
      // Read before the file arrives.
      kind: folder.kind,
      folder: folder.name,
      name,
      path,
      ...(namespace ? { namespace } : {}),
      file: tarOf(folder.entries),
    },
    options,
  )
