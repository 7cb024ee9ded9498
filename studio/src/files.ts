// Files that the user dropped, in the browser's own storage by their hash, so that a reload finds them again. Nothing leaves the machine.
import type { FileRef } from "./session.ts";

const DATABASE = "supple-studio", SHELF = "files";

/** The files of this visit: storage may be full or forbidden (private windows), and the page works all the same. */
const here = new Map<string, Uint8Array>();

function database(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
        const asked = indexedDB.open(DATABASE, 1);
        asked.onupgradeneeded = () => asked.result.createObjectStore(SHELF);
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
    });
}

async function shelf<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const base = await database();
    try {
        return await new Promise<T>((resolve, reject) => {
            const asked = use(base.transaction(SHELF, mode).objectStore(SHELF));
            asked.onsuccess = () => resolve(asked.result);
            asked.onerror = () => reject(asked.error);
        });
    } finally {
        base.close();
    }
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    if (globalThis.crypto?.subtle) {
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        return Array.from(digest.subarray(0, 16), byte => byte.toString(16).padStart(2, "0")).join("");
    }
    // Plain http from another machine has no crypto: two 32-bit sums (FNV-1a and Adler's) distinguish the files of one visit.
    let fnv = 0x811c9dc5, a = 1, b = 0;
    for (const byte of bytes) {
        fnv = Math.imul(fnv ^ byte, 0x01000193);
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    return `${(fnv >>> 0).toString(16)}-${((b << 16 | a) >>> 0).toString(16)}-${bytes.length.toString(16)}`;
}

/** Puts a file away; false in `kept` when a reload will not find it. */
export async function keepFile(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<{ ref: FileRef; kept: boolean }> {
    const hash = await hashOf(bytes), ref = { hash, name, bytes: bytes.length };
    here.set(hash, bytes);
    try {
        await shelf("readwrite", store => store.put(bytes, hash));
        return { ref, kept: true };
    } catch {
        return { ref, kept: false };
    }
}

export async function fileBytes(ref: FileRef): Promise<Uint8Array> {
    const known = here.get(ref.hash) ?? await shelf<Uint8Array | undefined>("readonly", store => store.get(ref.hash) as IDBRequest<Uint8Array | undefined>).catch(() => undefined);
    if (!known) throw new Error(`'${ref.name}' is no longer in this browser's storage; drop the file again`);
    here.set(ref.hash, known);
    return known;
}

/** A dropped or chosen thing as plain files with their paths, folders opened. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
    const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter((entry): entry is FileSystemEntry => Boolean(entry));
    if (!entries.length) return [...transfer.files];
    const found: File[] = [];
    await Promise.all(entries.map(entry => walk(entry, found)));
    return found;
}

const MOST_FILES = 500; // of a dropped folder: enough for any sequence, small enough for a mistake
async function walk(entry: FileSystemEntry, found: File[]): Promise<void> {
    if (found.length >= MOST_FILES) return;
    if (entry.isFile) {
        found.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
        return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) return;
        for (const one of some) await walk(one, found);
    }
}
