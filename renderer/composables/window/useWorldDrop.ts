import type { Router } from 'vue-router'
import { useOpenedWorld } from '../../stores/opened-world.ts'
import { useSession } from '../../stores/session.ts'

const WORLD = /\.ya?ml$/i

/**
 * Opens a world file that is dropped anywhere on the window, where no part of the page takes it, for administrators. Returns a
 * function that ends this.
 */
export const useWorldDrop = (router: Router): (() => void) => {
  const session = useSession()
  const opened = useOpenedWorld()
  const isOurs = (event: DragEvent) =>
    !event.defaultPrevented && session.isAdmin && event.dataTransfer?.types.includes('Files') === true
  const onOver = (event: DragEvent) => {
    // Only the drop says which file it is. The browser would leave the page for it.
    if (isOurs(event)) event.preventDefault()
  }
  const onDrop = async (event: DragEvent) => {
    if (!isOurs(event)) return
    event.preventDefault()
    const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => WORLD.test(name))
    if (file && (await opened.open(file))) await router.push('/-/workbench/worlds')
  }
  const drop = (event: DragEvent) => void onDrop(event)
  window.addEventListener('dragover', onOver)
  window.addEventListener('drop', drop)
  return () => {
    window.removeEventListener('dragover', onOver)
    window.removeEventListener('drop', drop)
  }
}
