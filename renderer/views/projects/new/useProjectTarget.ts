import { computed, reactive, watch } from 'vue'
import { useRoute } from 'vue-router'
import { useApi } from '../../../api/useApi.ts'
import { slug } from '../../../composables/slug.ts'
import { useSession } from '../../../stores/session.ts'

/** Answers that are stale after a project was created. */
export const STALE = [
  'GET /projects',
  'GET /groups/:id/projects',
  'GET /users/:user_id/projects',
  'GET /-/imports',
]

/** The target of a new project: name, path and namespace. The path follows the name until it is edited. */
export const useProjectTarget = () => {
  const session = useSession()
  const route = useRoute()
  const namespaces = useApi('GET /namespaces', { per_page: 100 })
  const form = reactive({
    name: '',
    path: '',
    namespace_id: Number(route.query['namespace_id']) || (session.user?.namespace_id ?? 0),
  })
  const list = computed(() => namespaces.data.value ?? [])
  const options = computed(() => list.value.map((one) => ({ value: one.id, label: one.full_path })))
  watch(
    list,
    (all) => {
      const own = all.find((one) => one.kind === 'user') ?? all[0]
      if (own && !all.some((one) => one.id === form.namespace_id)) form.namespace_id = own.id
    },
    { immediate: true },
  )
  watch(
    () => form.name,
    (name, before) => {
      if (form.path === slug(before)) form.path = slug(name)
    },
  )
  const namespacePath = computed(
    () => list.value.find((one) => one.id === form.namespace_id)?.full_path ?? session.user?.username ?? '',
  )
  return {
    form,
    options,
    namespacePath,
    fullPath: computed(() => `${namespacePath.value}/${form.path}`),
    isComplete: computed(() => form.name.trim() !== '' && form.path !== ''),
  }
}
export type ProjectTarget = ReturnType<typeof useProjectTarget>

const SUBJECTS: Readonly<Record<string, string>> = { name: 'name', path: 'path', namespace: 'namespace' }

/**
 * The error messages of each field, and the rest for the end of the form. Import errors are one sentence that starts with the
 * field name, in the original of the server.
 */
export const refusal = (
  message: string | null,
  fields: Record<string, string[]>,
  original: string | null = message,
): { fields: Record<string, string[]>; general: string | null } => {
  if (!message) return { fields: {}, general: null }
  const { name, path, namespace } = fields
  if (name || path || namespace) return { fields, general: null }
  const subject = SUBJECTS[(original ?? message).replace(/^404 /, '').split(' ')[0]?.toLowerCase() ?? '']
  return subject ? { fields: { [subject]: [message] }, general: null } : { fields, general: message }
}
