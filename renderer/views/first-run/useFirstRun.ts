import { computed, reactive, ref, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import { api } from '../../api/client.ts'
import type { FirstRunDone, Project } from '../../api/types.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { slug } from '../../composables/slug.ts'
import { makeDemo, type DemoProgress } from '../../demo/makeDemo.ts'
import { useSession } from '../../stores/session.ts'
import type { Folder } from '../import/folder/entries.ts'
import { sendFolder } from '../import/folder/send-folder.ts'
import { t } from '../../locales/t.ts'

export type Choice = 'demo' | 'folder' | 'project' | 'empty'
export type Step = 1 | 2 | 3 | 4

/** The three steps to a working instance. Nothing is written before the last of them; then the answers hold. */
export const useFirstRun = () => {
  const session = useSession()
  const router = useRouter()
  const step = ref<Step>(1)
  const facts = useApi('GET /-/first_run', () => (session.firstRun ? {} : null), { staleTime: Infinity })
  const who = reactive({ name: '', username: '', email: '', password: '' })
  const choice = ref<Choice>('demo')
  const projectName = ref(t('first_run.my_first_project'))
  const done = ref<FirstRunDone | null>(null)
  const project = ref<Project | null>(null)
  const demo = ref<DemoProgress | null>(null)
  const folder = shallowRef<Folder | null>(null)
  const sent = ref<number | null>(null)

  watch(
    () => facts.data.value,
    (found) => {
      if (!found) return
      who.name ||= found.name
      who.username ||= found.username
      who.email ||= found.email
    },
    { immediate: true },
  )

  const takeFolder = async (from: Folder) => {
    const name = from.name.replace(/\.git$/, '')
    const { signal } = new AbortController()
    const onProgress = (share: number) => (sent.value = share)
    const { id } = await sendFolder(from, { name, path: slug(name) }, { signal, onProgress })
    return api('GET /projects/:id', { id })
  }

  const makeProject = async () => {
    if (project.value || choice.value === 'empty') return
    if (choice.value === 'demo') {
      project.value = await makeDemo((progress) => (demo.value = progress))
      return
    }
    if (choice.value === 'folder') {
      project.value = await takeFolder(folder.value!)
      return
    }
    const name = projectName.value.trim()
    project.value = await api('POST /projects', { name, path: slug(name), initialize_with_readme: true })
  }

  const setUp = useAction({
    report: 'form',
    run: async () => {
      done.value ??= await api('POST /-/first_run', { ...who })
      session.adopt(done.value)
      await makeProject()
    },
    onDone: () => {
      step.value = 4
    },
  })

  const WHO = ['name', 'username', 'email', 'password'] as const
  /** Shows errors of the instance next to the field. */
  const MIN_PASSWORD = 8
  const isShort = computed(() => who.password !== '' && who.password.length < MIN_PASSWORD)
  const whoIsComplete = computed(() => WHO.every((key) => who[key].trim() !== '') && !isShort.value)
  const isChosen = computed(() => choice.value !== 'folder' || folder.value !== null)
  const go = async () => {
    if (step.value < 3) {
      setUp.reset()
      step.value = (step.value + 1) as Step
      return
    }
    await setUp.run()
    // Errors of the user are shown next to their field.
    if (!done.value && WHO.some((key) => setUp.fields.value[key])) step.value = 1
  }
  const back = () => {
    if (step.value > 1 && step.value < 4) step.value = (step.value - 1) as Step
  }
  const finish = () => router.replace(project.value ? `/${project.value.path_with_namespace}` : '/')

  return {
    step,
    facts,
    who,
    choice,
    projectName,
    done,
    project,
    demo,
    folder,
    sent,
    isChosen,
    setUp,
    whoIsComplete,
    isShort,
    go,
    back,
    finish,
  }
}

export type FirstRunState = ReturnType<typeof useFirstRun>
