import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'

/** The folder of what is attached to texts of a project. */
export function uploadFolder(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).uploads, 'project', String(projectId))
}

/** Where an upload of a project lies. */
export function uploadPath(
  config: Config,
  upload: { readonly project_id: number; readonly secret: string; readonly file_name: string },
): string {
  return join(uploadFolder(config, upload.project_id), upload.secret, upload.file_name)
}
