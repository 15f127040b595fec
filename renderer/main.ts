import { PiniaColada } from '@pinia/colada'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import type { Router } from 'vue-router'
import App from './App.vue'
import { dropTicket } from './api/page-token.ts'
import { platform } from './composables/usePlatform.ts'
import { makeRouter } from './router.ts'
import { useSession } from './stores/session.ts'
import './styles/index.css'

/** Facts of the stream tell when an answer is out of date; this is only the net below. */
const FRESH_MS = 30_000

/** Fetches the code of the view that the address names, before it is needed. */
const preload = (router: Router) => {
  for (const { components } of router.resolve(location.pathname).matched) {
    const view = components?.default
    if (typeof view === 'function') void (view as () => Promise<unknown>)().catch(() => undefined)
  }
}

const start = async () => {
  dropTicket()
  document.documentElement.dataset.platform = platform()
  const pinia = createPinia()
  const app = createApp(App)
  app.use(pinia)
  app.use(PiniaColada, { queryOptions: { staleTime: FRESH_MS, refetchOnWindowFocus: true } })
  const session = useSession(pinia)
  const router = makeRouter(session)
  // The view's code comes while the instance is asked who is here.
  preload(router)
  // The frame shows that the instance does not respond, and retries.
  await session.load().catch(() => undefined)
  app.use(router)
  app.mount('#app')
}

void start()
