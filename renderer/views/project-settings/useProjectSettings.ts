import { computed } from 'vue'
import { api } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { useAction } from '../../api/useAction.ts'
import type { SettingSection } from '../../components/form/setting-lines.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { projectUrl } from '../../composables/paths.ts'
import { accessLevel } from '../../composables/useAbility.ts'
import { useCrumbs } from '../../composables/useCrumbs.ts'
import { useProject } from '../../composables/useProject.ts'
import { useSettingDraft } from '../../composables/useSettingDraft.ts'
import { useSession } from '../../stores/session.ts'
import type { CredentialOwner } from '../credentials/owner.ts'
import { t } from '../../locales/t.ts'

/** Cached answers that are stale after a change of a project. */
export const STALE = ['GET /projects*', 'GET /groups/:id/projects', 'GET /users/:user_id/projects']

/** The first part; “Settings” in the breadcrumb links to it. */
const FIRST = t('common.general')
const OWNER = 50

/** The breadcrumb of a part of the settings. */
export const useSettingsCrumbs = (label: string) => {
  const project = useProject()
  useCrumbs(() =>
    projectCrumbs(
      project.value,
      label === FIRST
        ? { label: t('common.settings') }
        : {
            label: t('common.settings'),
            to: projectUrl(project.value.path_with_namespace, 'settings/general'),
          },
      { label },
    ),
  )
  return project
}

/** The project as the owner of tokens. */
export const useCredentialOwner = (label: string) => {
  const project = useSettingsCrumbs(label)
  const session = useSession()
  return computed<CredentialOwner>(() => ({
    kind: 'project',
    id: project.value.id,
    name: project.value.name,
    level: session.isAdmin ? OWNER : accessLevel(project.value),
  }))
}

/**
 * A part of the settings that is a list of lines: the draft, and its save. `stored` gives what is stored in words of the lines.
 */
export const useProjectSettings = (
  label: string,
  sections: readonly SettingSection[],
  stored: (project: Project) => object = (project) => project,
  sent: (changed: Record<string, unknown>) => Record<string, unknown> = (changed) => changed,
) => {
  const project = useSettingsCrumbs(label)
  const lines = sections.flatMap((section) => section.lines)
  const form = useSettingDraft(lines, () => stored(project.value))
  const save = useAction({
    report: 'form',
    invalidates: STALE,
    run: () => api('PUT /projects/:id', { id: project.value.id, ...sent(form.changed.value) }),
    done: t('common.saved'),
    onDone: (saved) => form.settle(stored(saved)),
  })
  return { project, form, save }
}
