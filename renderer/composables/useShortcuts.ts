import { onBeforeUnmount, onMounted } from 'vue'
import { useShortcutStore, type Shortcut } from '../stores/shortcuts.ts'

/** Registers shortcuts for as long as the component is on the screen. */
export const useShortcuts = (list: readonly Shortcut[]) => {
  const store = useShortcutStore()
  let forget = () => {}
  onMounted(() => {
    forget = store.register(list)
  })
  onBeforeUnmount(() => forget())
}
