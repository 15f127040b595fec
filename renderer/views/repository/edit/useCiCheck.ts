import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { api, type Result } from '../../../api/client.ts'
import type { EditorProblem } from '../../../components/editor/editor-problems.ts'
import { useAbility } from '../../../composables/useAbility.ts'
import { useProject } from '../../../composables/useProject.ts'
import { errorText } from '../../../locales/server-errors.ts'
import { cleanPath } from './text-bytes.ts'

/** The lint result of a CI/CD configuration. */
export type CiCheck = Result<'POST /-/projects/:id/ci/check'>

const SETTLE_MS = 400

/** The result in the language of the window. */
const translated = (check: CiCheck): CiCheck => {
  const said = (list: CiCheck['errors']) => list.map((one) => ({ ...one, message: errorText(one.message) }))
  return {
    ...check,
    errors: said(check.errors),
    warnings: said(check.warnings),
    jobs: check.jobs.map((job) => ({ ...job, reason: job.reason && errorText(job.reason) })),
  }
}

/** The path of the project's CI configuration, which a setting can change. */
export const ciPathOf = (project: { ci_config_path?: string | null }) =>
  project.ci_config_path || '.gitlab-ci.yml'

/**
 * Checks the configuration of pipelines while it is written, a moment after the last letter: what is wrong and where, and
 * which jobs a push to the branch would run.
 */
export const useCiCheck = (path: () => string, text: () => string, gitRef: () => string) => {
  const project = useProject()
  const { can } = useAbility()
  const isConfig = computed(
    () => cleanPath(path()) === ciPathOf(project.value) && can('create_pipeline', project.value),
  )
  const check = shallowRef<CiCheck | null>(null)
  const isChecking = ref(false)
  const failed = ref<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let round = 0

  const ask = async () => {
    const mine = ++round
    isChecking.value = true
    try {
      const params = { id: project.value.id, content: text(), ref: gitRef() }
      const answer = await api('POST /-/projects/:id/ci/check', params)
      if (mine === round) [check.value, failed.value] = [translated(answer), null]
    } catch (error) {
      if (mine === round) failed.value = error instanceof Error ? error.message : String(error)
    }
    if (mine === round) isChecking.value = false
  }
  watch(
    [isConfig, text, gitRef],
    () => {
      clearTimeout(timer)
      if (isConfig.value) timer = setTimeout(() => void ask(), check.value ? SETTLE_MS : 0)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))

  /** Those of the file itself, not of what it includes. */
  const problems = computed<EditorProblem[]>(() => {
    if (!isConfig.value || !check.value) return []
    const own = (list: CiCheck['errors'], severity: EditorProblem['severity']) =>
      list
        .filter((one) => one.file === null)
        .map((one) => ({ message: one.message, line: one.line ?? 1, column: one.column ?? 1, severity }))
    return [...own(check.value.errors, 'error'), ...own(check.value.warnings, 'warning')]
  })
  return { isConfig, check, isChecking, failed, problems }
}
