import { PiniaColada } from '@pinia/colada'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { platform } from './composables/usePlatform.ts'
import { makeRouter } from './router.ts'
import { useSession } from './stores/session.ts'
import './styles/index.css'

/** Facts of the stream tell when an answer is out of date; this is only the net below. */
const FRESH_MS = 30_000

const start = async () => {
  document.documentElement.dataset.platform = platform()
  const pinia = createPinia()
  const app = createApp(App)
  app.use(pinia)
  app.use(PiniaColada, { queryOptions: { staleTime: FRESH_MS, refetchOnWindowFocus: true } })
  const session = useSession(pinia)
  // A silent instance is told by the frame, which tries again.
  await session.load().catch(() => undefined)
  app.use(makeRouter(session))
  app.mount('#app')
}

void start()
