import type { Ctx } from '../../../../ctx.ts'
import { isBranchName } from '../../../../git/names.ts'
import { fail } from '../../../../lib/fail.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../../policy/levels.ts'
import type { NamespaceRow } from '../../../namespaces/index.ts'
import { checkVisibility, renderDescription, settingsToColumns } from '../../../projects/index.ts'

const MAX_DESCRIPTION = 2000

/**
 * The columns that `override_params` ask for, checked as a PUT of the project would be (spec administration 6.5): they win over the
 * archive. Throws 400 for what cannot stand.
 */
export async function columnsOf(
  ctx: Ctx,
  namespace: NamespaceRow,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const columns: Record<string, unknown> = settingsToColumns(given)
  const { visibility, description } = columns
  if (typeof visibility === 'string' && visibility in VISIBILITY_RANK)
    checkVisibility(ctx, namespace, visibility as Visibility)
  if (typeof description === 'string' && description.length > MAX_DESCRIPTION)
    throw fail('bad_request', `Description is too long (maximum is ${MAX_DESCRIPTION} characters)`)
  const branch = given['default_branch']
  if (typeof branch === 'string' && branch !== '') {
    if (!isBranchName(branch)) throw fail('bad_request', 'Default branch is not a valid branch name')
    columns['default_branch'] = branch
  }
  if (description === undefined) return columns
  return { ...columns, description_html: await renderDescription(description as string | null) }
}
