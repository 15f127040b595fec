import type { Ctx } from '../../../../ctx.ts'
import { queueMail } from '../../../mail/index.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { userById } from '../../../users/index.ts'
import type { ProjectExport } from '../../exports/store.ts'

/** Mails the exporter that the archive can be downloaded. */
export function mailArchive(ctx: Ctx, row: ProjectExport, project: Project): void {
  mail(ctx, row, project, 'Project was exported', [
    `Project ${project.name} was exported.`,
    `The archive can be downloaded until ${row.expires_at ?? ''}:`,
    `${ctx.config.url}/${fullPath(project)}/download_export`,
  ])
}

/** Mails the exporter that the archive was uploaded. */
export function mailUpload(ctx: Ctx, row: ProjectExport, project: Project, host: string): void {
  mail(ctx, row, project, 'Project was exported', [
    `Project ${project.name} was exported, and the archive was sent to ${host}.`,
    'The instance keeps no copy of it.',
  ])
}

/** Mails the exporter the reason of a failed export. */
export function mailFailure(ctx: Ctx, row: ProjectExport, project: Project, reason: string): void {
  mail(ctx, row, project, 'Project export error', [`Project ${project.name} couldn't be exported.`, reason])
}

function mail(ctx: Ctx, { user_id }: ProjectExport, project: Project, subject: string, text: string[]): void {
  const user = user_id === null ? undefined : userById(ctx.db, user_id)
  if (!user || user.email === '' || user.kind !== 'human' || user.state !== 'active') return
  queueMail(ctx, {
    to: [user.email],
    subject: `${project.name} | ${subject}`,
    text: [`Hello, ${user.name}!`, ...text].join('\n\n'),
  })
}
