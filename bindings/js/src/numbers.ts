// Converts callers' arrays to the types that the module reads. Without this a plain array would be taken for an address.
import { SuppleError } from "./supple.ts";

function isList(values: unknown): values is ArrayLike<number> {
    return Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView) && typeof (values as unknown as ArrayLike<unknown>)[0] !== "bigint");
}

/** Copies plain arrays and arrays of other types; anything but a list of numbers is an error. */
export function floatsOf(what: string, values: ArrayLike<number>): Float32Array {
    if (values instanceof Float32Array) return values;
    if (!isList(values)) throw new SuppleError(`${what} must be a Float32Array or another list of numbers`, "input");
    return Float32Array.from(values);
}

export function indicesOf(what: string, values: ArrayLike<number>): Uint32Array {
    if (values instanceof Uint32Array) return values;
    if (!isList(values) || !Array.prototype.every.call(values, one => Number.isInteger(one) && one >= 0 && one < 2 ** 32))
        throw new SuppleError(`${what} must be a Uint32Array or another list of whole numbers from 0`, "input");
    return Uint32Array.from(values);
}

export function bytesOf(what: string, bytes: ArrayBuffer | ArrayBufferView): Uint8Array {
    if (bytes instanceof Uint8Array) return bytes;
    if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && (bytes as unknown) instanceof SharedArrayBuffer)) return new Uint8Array(bytes);
    throw new SuppleError(`${what} must be an ArrayBuffer or a Uint8Array`, "input");
}
