import { abilities, type AbilityRule } from '../api/abilities.gen.ts'
import { useSession } from '../stores/session.ts'

export type Ability = keyof typeof abilities

/** The fields of an owner that abilities depend on. */
export type Subject = {
  permissions?: {
    project_access?: { access_level: number } | null
    group_access?: { access_level: number } | null
  }
  archived?: boolean
  visibility?: string
}

/** The caller's level on a project: the higher of direct and group membership, 0 without any. */
export const accessLevel = (subject: Subject): number =>
  Math.max(
    subject.permissions?.project_access?.access_level ?? 0,
    subject.permissions?.group_access?.access_level ?? 0,
  )

const featureLevel = (subject: Subject, feature: string) =>
  (subject as Record<string, unknown>)[`${feature}_access_level`] as string | undefined

/**
 * Evaluates one rule of the generated table like the server: a disabled feature denies everyone, and an archived
 * owner takes no writes. The server decides in the end; this only spares a click that would be refused.
 */
export const allows = (
  rule: Pick<AbilityRule, 'from' | 'feature' | 'public' | 'archived'>,
  subject: Subject,
  isAdmin: boolean,
  isWrite = false,
): boolean => {
  const feature = rule.feature ? featureLevel(subject, rule.feature) : undefined
  if (feature === 'disabled') return false
  if (isWrite && subject.archived && !rule.archived) return false
  if (isAdmin) return true
  // The view for anonymous users omits the visibility, but only visible projects are returned.
  const isOpen = subject.visibility !== 'private'
  if (rule.public && isOpen && feature !== 'private') return true
  return accessLevel(subject) >= rule.from
}

/** `can('update_project', project)`, for the signed-in user. */
export const useAbility = () => {
  const session = useSession()
  const can = (ability: Ability, subject: Subject | null | undefined) =>
    subject != null && allows(abilities[ability], subject, session.isAdmin, !ability.startsWith('read_'))
  return { can }
}
