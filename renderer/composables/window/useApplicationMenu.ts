import { watch } from 'vue'
import { locale } from '../../locales/locale.ts'
import { t } from '../../locales/t.ts'
import { useRecent } from '../../stores/recent.ts'
import { useShortcutStore } from '../../stores/shortcuts.ts'

/**
 * In the application: its menus show the commands of the page and the projects opened last, and the page runs the chosen command.
 * Returns a function that ends this.
 */
export const useApplicationMenu = (): (() => void) => {
  const { desktop } = window
  if (!desktop) return () => {}
  const shortcuts = useShortcutStore()
  const stopWatching = watch(
    () =>
      shortcuts.listed.flatMap(({ group, list }) =>
        list.map(({ keys, label }) => ({ keys, label, group, isView: group === t('frame.go_to') })),
      ),
    (commands) => void desktop.setCommands(commands, locale),
    { immediate: true },
  )
  const recent = useRecent()
  const stopRecent = watch(
    () =>
      recent.list
        .filter(({ kind }) => kind === 'project')
        .map(({ name, full_path: path }) => ({ name, path: `/${path}` })),
    (projects) => void desktop.setRecentProjects(projects),
    { immediate: true },
  )
  const stopListening = desktop.onCommand(shortcuts.run)
  return () => {
    stopWatching()
    stopRecent()
    stopListening()
  }
}
