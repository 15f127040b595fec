import { endpoint } from '../../../http/endpoint.ts'
import { file } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { fullPath, project } from '../../projects/index.ts'
import { ProjectUpload } from '../entity.ts'
import { abilities } from './policy.ts'
import { storeUpload } from './service.ts'

export const uploadFile = endpoint('POST /projects/:id/uploads', {
  summary: 'Upload a file',
  scope: project,
  can: abilities.upload_file,
  params: { file: file().describe('The file to upload, as a part of a multipart body') },
  returns: created(ProjectUpload),
  run: async (ctx) => {
    const upload = await storeUpload(ctx, ctx.project, ctx.params.file)
    return { upload, project_path: fullPath(ctx.project) }
  },
})
