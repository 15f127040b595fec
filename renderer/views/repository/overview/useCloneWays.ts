import { Code, FolderDown, Terminal } from '@lucide/vue'
import { computed, ref } from 'vue'
import { api } from '../../../api/client.ts'
import { messageOf } from '../../../api/errors.ts'
import type { MenuEntry } from '../../../components/base/menu.ts'
import { copyText } from '../../../composables/clipboard.ts'
import { useProject } from '../../../composables/useProject.ts'
import { useSession } from '../../../stores/session.ts'
import { useToasts } from '../../../stores/toasts.ts'
import { t } from '../../../locales/t.ts'

const DAY_MS = 24 * 3600 * 1000

/** A link by which an editor clones a repository. */
const editorLinks = (address: string) => [
  {
    editor: 'Visual Studio Code',
    link: `vscode://vscode.git/clone?url=${encodeURIComponent(address)}`,
  },
  {
    editor: 'IntelliJ IDEA',
    link: `jetbrains://idea/checkout/git?idea.required.plugins.id=Git4Idea&checkout.repo=${encodeURIComponent(address)}`,
  },
]

/** The ways to clone besides copying the address: the command, an editor, and in the application a folder. */
export const useCloneWays = (address: () => string) => {
  const project = useProject()
  const session = useSession()
  const toasts = useToasts()
  const isCloning = ref(false)
  const { desktop } = window

  const copyCommand = async () => {
    const text = `git clone ${address()}`
    const done = await copyText(text)
    toasts.show(
      done
        ? { text: t('repository.copied_command', { command: text }) }
        : { text: t('base.the_clipboard_is_not_available_select'), kind: 'bad' },
    )
  }
  const openLink = (link: string) => {
    if (desktop) void desktop.openExternal(link)
    else location.assign(link)
  }
  /** Clones with a token of its own that ends with the clone. */
  const cloneTo = async (folder: string) => {
    const made = await api('POST /-/profile/personal_access_tokens', {
      name: t('repository.clone_to_folder'),
      scopes: ['read_repository'],
      expires_at: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
    })
    try {
      return await desktop?.clone(folder, {
        url: `${location.origin}/${project.value.path_with_namespace}.git`,
        name: project.value.path,
        username: session.user?.username ?? '',
        token: made.token,
      })
    } finally {
      await api('DELETE /personal_access_tokens/:id', { id: made.id })
    }
  }
  const cloneToFolder = async () => {
    const folder = await desktop?.chooseFolder(t('repository.clone_to_folder'))
    if (!folder || isCloning.value) return
    isCloning.value = true
    try {
      const answer = await cloneTo(folder)
      if (answer && 'path' in answer)
        toasts.show({
          text: t('repository.cloned_to_path', { path: answer.path }),
          action: {
            label: t('repository.show_folder'),
            run: () => void desktop?.revealInFileManager(answer.path),
          },
        })
      else if (answer) toasts.show({ text: answer.problem, kind: 'bad' })
    } catch (error) {
      toasts.show({ text: messageOf(error), kind: 'bad' })
    } finally {
      isCloning.value = false
    }
  }
  const ways = computed<(MenuEntry | null)[]>(() => [
    ...(desktop && session.user
      ? [
          {
            label: t('repository.clone_to_folder'),
            icon: FolderDown,
            disabled: isCloning.value,
            run: () => void cloneToFolder(),
          },
        ]
      : []),
    { label: t('repository.copy_git_clone_command'), icon: Terminal, run: () => void copyCommand() },
    null,
    ...editorLinks(address()).map(({ editor, link }) => ({
      label: t('repository.open_in_editor', { editor }),
      icon: Code,
      run: () => openLink(link),
    })),
  ])
  return { ways, isCloning }
}
