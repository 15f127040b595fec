import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { queueMail } from '../mail/index.ts'
import { membersFrom, projectPlace } from '../members/index.ts'
import { fullPath, projectById } from '../projects/index.ts'
import { userById } from '../users/index.ts'

const MAX_RECIPIENTS = 50

/** Tells the maintainers of a project, each in a mail of their own, that a mirror could not be updated. */
export function tellMaintainers(
  ctx: Ctx,
  projectId: number,
  { url, reason }: { url: string; reason: string },
): void {
  const project = projectById(ctx.db, projectId)
  if (!project || project.emails_disabled === true) return
  const path = fullPath(project)
  const asked = { level: MAINTAINER, today: isoDate(ctx.now), limit: MAX_RECIPIENTS }
  for (const id of membersFrom(ctx.db, projectPlace(project), asked)) {
    const user = userById(ctx.db, id)
    if (!user?.email) continue
    queueMail(ctx, {
      to: [user.email],
      subject: `${path} | Remote mirror update failed`,
      text: [
        `The mirror of ${path} at ${url} could not be updated:`,
        reason,
        `Settings: ${ctx.config.url}/${path}/-/settings/mirrors`,
      ].join('\n\n'),
    })
  }
}
