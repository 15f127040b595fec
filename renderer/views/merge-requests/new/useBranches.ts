import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useApi } from '../../../api/useApi.ts'
import { useProject } from '../../../composables/useProject.ts'

const KEYS = {
  source: 'merge_request[source_branch]',
  target: 'merge_request[target_branch]',
  sourceProject: 'merge_request[source_project_id]',
  targetProject: 'merge_request[target_project_id]',
} as const

/** The source and target branch in the URL: of the project, its fork parent, or the user's forks. */
export const useBranches = () => {
  const project = useProject()
  const route = useRoute()
  const router = useRouter()
  const asked = (key: string) => {
    const value = route.query[key]
    return typeof value === 'string' && value ? value : null
  }
  const upstream = computed(() => project.value.forked_from_project ?? null)
  const forks = useApi('GET /projects/:id/forks', () => ({
    id: project.value.id,
    membership: true,
    min_access_level: 30,
    simple: true,
    per_page: 50,
  }))
  const own = computed(() => ({
    id: project.value.id,
    path: project.value.path_with_namespace,
    branch: project.value.default_branch ?? null,
  }))
  const sources = computed(() => [
    own.value,
    ...(forks.data.value ?? []).map((fork) => ({
      id: fork.id,
      path: fork.path_with_namespace,
      branch: fork.default_branch ?? null,
    })),
  ])
  const targets = computed(() => [
    ...(upstream.value
      ? [
          {
            id: upstream.value.id,
            path: upstream.value.path_with_namespace,
            branch: upstream.value.default_branch ?? null,
          },
        ]
      : []),
    own.value,
  ])
  const sourceProject = computed(() => {
    const id = Number(asked(KEYS.sourceProject))
    return sources.value.find((one) => one.id === id) ?? own.value
  })
  const targetProject = computed(() => {
    const id = Number(asked(KEYS.targetProject))
    const isElsewhere = sourceProject.value.id !== own.value.id
    if (isElsewhere) return own.value
    return targets.value.find((one) => one.id === id) ?? targets.value[0] ?? own.value
  })
  const source = computed(() => asked(KEYS.source) ?? '')
  const target = computed(() => asked(KEYS.target) ?? targetProject.value.branch ?? '')
  const go = (patch: Partial<Record<keyof typeof KEYS, string | number | null>>) => {
    const query = { ...route.query }
    for (const [name, value] of Object.entries(patch)) {
      const key = KEYS[name as keyof typeof KEYS]
      if (value === null) delete query[key]
      else query[key] = String(value)
    }
    void router.replace({ path: route.path, query })
  }

  const isSame = computed(
    () => source.value === target.value && sourceProject.value.id === targetProject.value.id,
  )
  const isWhole = computed(() => source.value !== '' && target.value !== '' && !isSame.value)
  const isFork = computed(() => sourceProject.value.id !== targetProject.value.id)
  return {
    project,
    sources,
    targets,
    sourceProject,
    targetProject,
    source,
    target,
    go,
    isSame,
    isWhole,
    isFork,
  }
}
